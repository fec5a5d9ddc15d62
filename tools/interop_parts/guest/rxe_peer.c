// SPDX-License-Identifier: Apache-2.0
// A scriptable endpoint on libibverbs: one command a line on stdin, one answer a line, "ok ..." or "err COMMAND: why". No TCP, no
// rdma_cm: numbers, PSNs, rkeys and addresses are exchanged by who drives it. The words are those of the bridge's control channel
// (docs/bridge.md); memory is mapped at exactly the address asked for.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { kMaxArguments = 12 };

static struct ibv_context* device;
static struct ibv_pd* domain;
static struct ibv_cq* queue;
static struct ibv_qp* qp;
static struct ibv_mr* region;
static char* memory;
static size_t memory_size;
static int gid_index;
static uint64_t last_wr;

static char* words[kMaxArguments];
static int count;
static int flags;

static uint64_t number(int i) { return i < count ? strtoull(words[i], NULL, 0) : 0; }
static int given(int i, const char* word) { return i < count && strcmp(words[i], word) == 0; }

static void ok(const char* format, ...) {
  va_list list;
  va_start(list, format);
  printf("ok ");
  vprintf(format, list);
  printf("\n");
  va_end(list);
}

// `error` is an errno value, as the verbs return it.
static void answer(int error, const char* good) {
  if (error == 0) ok("%s", good);
  else printf("err %s: %s\n", words[0], strerror(error));
}

static int parse_gid(const char* text, union ibv_gid* gid) {
  if (strchr(text, ':') != NULL) return inet_pton(AF_INET6, text, gid->raw) != 1;
  memset(gid, 0, sizeof *gid);
  gid->raw[10] = gid->raw[11] = 0xff;
  return inet_pton(AF_INET, text, gid->raw + 12) != 1;
}

static enum ibv_mtu mtu_code(uint64_t bytes) {
  switch (bytes) {
    case 256: return IBV_MTU_256;
    case 512: return IBV_MTU_512;
    case 1024: return IBV_MTU_1024;
    case 2048: return IBV_MTU_2048;
    default: return IBV_MTU_4096;
  }
}

static void do_open(void) {
  int devices = 0;
  struct ibv_device** list = ibv_get_device_list(&devices);
  union ibv_gid gid;
  char text[64];
  gid_index = (int)number(1);
  if (list == NULL || devices == 0) return answer(ENODEV, "");
  device = ibv_open_device(list[0]);
  if (device == NULL || ibv_query_gid(device, 1, gid_index, &gid) != 0) return answer(errno, "");
  domain = ibv_alloc_pd(device);
  queue = ibv_create_cq(device, 1024, NULL, NULL, 0);
  inet_ntop(AF_INET6, gid.raw, text, sizeof text);
  ok("dev=%s gid=%s", ibv_get_device_name(list[0]), text);
}

static void do_mr(void) {
  int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  void* address = (void*)(uintptr_t)number(1);
  if (region != NULL) {
    ibv_dereg_mr(region);
    munmap(memory, memory_size);
    region = NULL;
  }
  if (given(3, "ro")) access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
  if (given(3, "noatomic")) access &= ~IBV_ACCESS_REMOTE_ATOMIC;
  memory_size = number(2);
  memory = mmap(address, memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (memory == MAP_FAILED) return answer(errno, "");
  region = ibv_reg_mr(domain, memory, memory_size, access);
  if (region == NULL) return answer(errno, "");
  ok("va=%p lkey=0x%x rkey=0x%x", (void*)memory, region->lkey, region->rkey);
}

static void do_qp(void) {
  uint32_t depth = number(2) != 0 ? (uint32_t)number(2) : 64;
  struct ibv_qp_init_attr attributes = {
      .send_cq = queue, .recv_cq = queue, .qp_type = IBV_QPT_RC,
      .cap = {.max_send_wr = depth, .max_recv_wr = depth, .max_send_sge = 1, .max_recv_sge = 1}};
  if (!given(1, "rc")) return answer(EINVAL, "");
  if (qp != NULL) ibv_destroy_qp(qp);
  qp = ibv_create_qp(domain, &attributes);
  if (qp == NULL) return answer(errno, "");
  ok("qpn=0x%x", qp->qp_num);
}

static void do_rtr(void) {
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = 1};
  a.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  int error = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  if (error != 0) return answer(error, "");
  memset(&a, 0, sizeof a);
  a.qp_state = IBV_QPS_RTR;
  a.path_mtu = mtu_code(number(1));
  a.dest_qp_num = (uint32_t)number(2);
  a.rq_psn = (uint32_t)number(3);
  a.min_rnr_timer = (uint8_t)number(5);
  a.max_dest_rd_atomic = count > 6 ? (uint8_t)number(6) : 16;
  a.ah_attr.is_global = 1;
  a.ah_attr.port_num = 1;
  a.ah_attr.grh.sgid_index = (uint8_t)gid_index;
  a.ah_attr.grh.hop_limit = 64;
  if (count < 5 || parse_gid(words[4], &a.ah_attr.grh.dgid)) return answer(EINVAL, "");
  answer(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                   IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER), "rtr");
}

static void do_rts(void) {
  struct ibv_qp_attr a = {.qp_state = IBV_QPS_RTS,
                          .sq_psn = (uint32_t)number(1),
                          .timeout = (uint8_t)number(2),
                          .retry_cnt = (uint8_t)number(3),
                          .rnr_retry = (uint8_t)number(4),
                          .max_rd_atomic = count > 5 ? (uint8_t)number(5) : 16};
  answer(ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                   IBV_QP_MAX_QP_RD_ATOMIC), "rts");
}

static void do_state_change(void) {
  struct ibv_qp_attr a = {.qp_state = given(0, "err") ? IBV_QPS_ERR : IBV_QPS_RESET};
  answer(ibv_modify_qp(qp, &a, IBV_QP_STATE), words[0]);
}

static void do_state(void) {
  struct ibv_qp_attr a;
  struct ibv_qp_init_attr initial;
  int error = ibv_query_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN | IBV_QP_TIMEOUT, &initial);
  if (error != 0) return answer(error, "");
  ok("state=%d sq_psn=0x%x rq_psn=0x%x timeout=%d", a.qp_state, a.sq_psn, a.rq_psn, a.timeout);
}

static struct ibv_sge local(int offset, uint32_t length) {
  struct ibv_sge sge = {(uintptr_t)memory + number(offset), length, region->lkey};
  return sge;
}

static void do_recv(void) {
  struct ibv_sge sge = local(1, (uint32_t)number(2));
  struct ibv_recv_wr wr = {.wr_id = ++last_wr, .sg_list = &sge, .num_sge = 1}, *bad;
  int error = ibv_post_recv(qp, &wr, &bad);
  if (error != 0) return answer(error, "");
  ok("wr=%lu", (unsigned long)last_wr);
}

static void post(enum ibv_wr_opcode opcode, uint32_t length, struct ibv_send_wr wr) {
  struct ibv_sge sge = local(1, length);
  struct ibv_send_wr* bad;
  wr.wr_id = ++last_wr;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = opcode;
  wr.send_flags = (unsigned)flags;
  int error = ibv_post_send(qp, &wr, &bad);
  if (error != 0) return answer(error, "");
  ok("wr=%lu", (unsigned long)last_wr);
}

static void post_one_sided(enum ibv_wr_opcode opcode, uint32_t immediate) {
  struct ibv_send_wr wr = {.imm_data = htonl(immediate), .wr.rdma = {number(3), (uint32_t)number(4)}};
  post(opcode, (uint32_t)number(2), wr);
}
static void do_write(void) { post_one_sided(IBV_WR_RDMA_WRITE, 0); }
static void do_writei(void) { post_one_sided(IBV_WR_RDMA_WRITE_WITH_IMM, (uint32_t)number(5)); }
static void do_read(void) { post_one_sided(IBV_WR_RDMA_READ, 0); }

static void do_send(void) {
  struct ibv_send_wr wr = {.imm_data = 0};
  post(IBV_WR_SEND, (uint32_t)number(2), wr);
}
static void do_sendi(void) {
  struct ibv_send_wr wr = {.imm_data = htonl((uint32_t)number(3))};
  post(IBV_WR_SEND_WITH_IMM, (uint32_t)number(2), wr);
}
static void do_faa(void) {
  struct ibv_send_wr wr = {.wr.atomic = {.remote_addr = number(2), .rkey = (uint32_t)number(3), .compare_add = number(4)}};
  post(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, wr);
}
static void do_cas(void) {
  struct ibv_send_wr wr = {
      .wr.atomic = {.remote_addr = number(2), .rkey = (uint32_t)number(3), .compare_add = number(4), .swap = number(5)}};
  post(IBV_WR_ATOMIC_CMP_AND_SWP, 8, wr);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void do_poll(void) {
  uint64_t wanted = number(1), got = 0;
  double start = seconds(), end = start + (double)number(2) * 1e-3;
  printf("ok");
  while (got < wanted) {
    struct ibv_wc wc;
    if (ibv_poll_cq(queue, 1, &wc) <= 0) {
      if (seconds() >= end) break;
      usleep(200);
      continue;
    }
    ++got;
    printf(" [wr=%lu %s op=%d len=%u imm=%x f=%x]", (unsigned long)wc.wr_id, ibv_wc_status_str(wc.status), wc.opcode,
           wc.byte_len, wc.wc_flags & IBV_WC_WITH_IMM ? ntohl(wc.imm_data) : 0, wc.wc_flags);
  }
  printf(" n=%lu ms=%.1f\n", (unsigned long)got, (seconds() - start) * 1e3);
}

static int outside(uint64_t offset, uint64_t length) {
  if (region != NULL && offset <= memory_size && length <= memory_size - offset) return 0;
  answer(ERANGE, "");
  return 1;
}

static void do_fill(void) {
  uint64_t offset = number(1), length = number(2), seed = number(3);
  if (outside(offset, length)) return;
  for (uint64_t i = 0; i < length; ++i) memory[offset + i] = (char)(seed + i * 7 + (i >> 8));
  ok("filled");
}
static void do_set(void) {
  uint64_t offset = number(1), length = count > 2 ? strlen(words[2]) / 2 : 0;
  if (outside(offset, length)) return;
  for (uint64_t i = 0; i < length; ++i) {
    unsigned value = 0;
    sscanf(words[2] + 2 * i, "%2x", &value);
    memory[offset + i] = (char)value;
  }
  ok("set");
}
static void do_get(void) {
  uint64_t offset = number(1), length = number(2);
  if (outside(offset, length)) return;
  printf("ok ");
  for (uint64_t i = 0; i < length; ++i) printf("%02x", (unsigned char)memory[offset + i]);
  printf("\n");
}
static void do_sum(void) {
  uint64_t offset = number(1), length = number(2), hash = 14695981039346656037ull;
  if (outside(offset, length)) return;
  for (uint64_t i = 0; i < length; ++i) hash = (hash ^ (unsigned char)memory[offset + i]) * 1099511628211ull;
  ok("fnv=%016lx", (unsigned long)hash);
}

static const struct {
  const char* word;
  int arguments;  // at least
  void (*run)(void);
} kCommands[] = {
    {"open", 1, do_open},   {"mr", 2, do_mr},         {"qp", 1, do_qp},       {"rtr", 5, do_rtr},
    {"rts", 4, do_rts},     {"err", 0, do_state_change}, {"reset", 0, do_state_change}, {"state", 0, do_state},
    {"recv", 2, do_recv},   {"write", 4, do_write},   {"writei", 5, do_writei}, {"read", 4, do_read},
    {"send", 2, do_send},   {"sendi", 3, do_sendi},   {"faa", 4, do_faa},     {"cas", 5, do_cas},
    {"poll", 2, do_poll},   {"fill", 3, do_fill},     {"set", 2, do_set},     {"get", 2, do_get},
    {"sum", 2, do_sum},
};

static void split(char* line) {
  count = 0;
  flags = IBV_SEND_SIGNALED;
  for (char* word = strtok(line, " \r\n"); word != NULL && count < kMaxArguments; word = strtok(NULL, " \r\n"))
    words[count++] = word;
  for (; count > 1 && strlen(words[count - 1]) == 1 && strchr("sfn", words[count - 1][0]) != NULL; --count) {
    if (words[count - 1][0] == 's') flags |= IBV_SEND_SOLICITED;
    if (words[count - 1][0] == 'f') flags |= IBV_SEND_FENCE;
    if (words[count - 1][0] == 'n') flags &= ~IBV_SEND_SIGNALED;
  }
}

int main(void) {
  static char line[70000];
  setvbuf(stdout, NULL, _IOLBF, 0);
  setvbuf(stdin, NULL, _IONBF, 0);
  printf("ok rxe_peer\n");
  while (fgets(line, sizeof line, stdin) != NULL) {
    split(line);
    if (count == 0) continue;
    if (given(0, "quit")) break;
    size_t i = 0;
    while (i < sizeof kCommands / sizeof *kCommands && strcmp(kCommands[i].word, words[0]) != 0) ++i;
    if (i == sizeof kCommands / sizeof *kCommands) printf("err unknown command '%s'\n", words[0]);
    else if (count - 1 < kCommands[i].arguments) printf("err %s: too few arguments\n", words[0]);
    else kCommands[i].run();
  }
  ok("bye");
  return 0;
}
