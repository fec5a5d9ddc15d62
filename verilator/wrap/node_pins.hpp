// SPDX-License-Identifier: Apache-2.0
// Between the pins of Vnode and the plain structs of models/timing. Internal to verilator/wrap.
//
// Payload pins are written only with their valid set: what stands on them otherwise means nothing, and copying it would
// cost.
#pragma once

#include <cstring>

#include "Vnode.h"
#include "models/base/i_client.hpp"
#include "models/timing/axi_memory.hpp"
#include "models/timing/mac.hpp"
#include "models/timing/mmio_port.hpp"

namespace caravan::vl {

inline void drive_rx(Vnode& top, const timing::MacPins& pins) {
  top.rx_valid_i = pins.valid;
  if (!pins.valid) return;
  std::memcpy(top.rx_data_i.data(), pins.beat.data.data(), 64);
  top.rx_bytes_i = pins.beat.bytes;
  top.rx_last_i = pins.beat.last;
  top.rx_err_i = pins.beat.err;
}

inline void sample_tx(const Vnode& top, timing::MacPins& pins) {
  pins.valid = top.tx_valid_o != 0;
  if (!pins.valid) return;
  std::memcpy(pins.beat.data.data(), top.tx_data_o.data(), 64);
  pins.beat.bytes = top.tx_bytes_o;
  pins.beat.last = top.tx_last_o != 0;
  pins.beat.err = top.tx_err_o != 0;
}

// The two memory ports have the same pins under two prefixes.
#define CARAVAN_AXI_PINS(port_)                                                                      \
  inline void drive_##port_(Vnode& top, const timing::AxiResponsePins& pins) {                       \
    top.port_##_aw_ready_i = pins.aw_ready;                                                          \
    top.port_##_w_ready_i = pins.w_ready;                                                            \
    top.port_##_ar_ready_i = pins.ar_ready;                                                          \
    top.port_##_b_valid_i = pins.b_valid;                                                            \
    top.port_##_r_valid_i = pins.r_valid;                                                            \
    if (pins.b_valid) {                                                                              \
      top.port_##_b_id_i = static_cast<CData>(pins.b.id);                                            \
      top.port_##_b_resp_i = pins.b.resp;                                                            \
    }                                                                                                \
    if (pins.r_valid) {                                                                              \
      std::memcpy(top.port_##_r_data_i.data(), pins.r.data.data(), 64);                              \
      top.port_##_r_id_i = static_cast<CData>(pins.r.id);                                            \
      top.port_##_r_resp_i = pins.r.resp;                                                            \
      top.port_##_r_last_i = pins.r.last;                                                            \
    }                                                                                                \
  }                                                                                                  \
  inline void sample_##port_(const Vnode& top, timing::AxiRequestPins& pins) {                       \
    pins.aw_valid = top.port_##_aw_valid_o != 0;                                                     \
    pins.w_valid = top.port_##_w_valid_o != 0;                                                       \
    pins.ar_valid = top.port_##_ar_valid_o != 0;                                                     \
    pins.b_ready = top.port_##_b_ready_o != 0;                                                       \
    pins.r_ready = top.port_##_r_ready_o != 0;                                                       \
    if (pins.aw_valid) pins.aw = {top.port_##_aw_id_o, top.port_##_aw_addr_o, top.port_##_aw_len_o}; \
    if (pins.ar_valid) pins.ar = {top.port_##_ar_id_o, top.port_##_ar_addr_o, top.port_##_ar_len_o}; \
    if (pins.w_valid) {                                                                              \
      std::memcpy(pins.w.data.data(), top.port_##_w_data_o.data(), 64);                              \
      pins.w.strb = top.port_##_w_strb_o;                                                            \
      pins.w.last = top.port_##_w_last_o != 0;                                                       \
    }                                                                                                \
  }
CARAVAN_AXI_PINS(hbm)
CARAVAN_AXI_PINS(host)
#undef CARAVAN_AXI_PINS

inline void drive_mmio(Vnode& top, const timing::MmioPins& pins) {
  top.csr_awvalid_i = pins.awvalid;
  top.csr_wvalid_i = pins.wvalid;
  top.csr_arvalid_i = pins.arvalid;
  top.csr_bready_i = top.csr_rready_i = 1;
  if (pins.awvalid) top.csr_awaddr_i = pins.awaddr;
  if (pins.wvalid) top.csr_wdata_i = pins.wdata;
  if (pins.arvalid) top.csr_araddr_i = pins.araddr;
}

inline timing::MmioAnswer sample_mmio(const Vnode& top) {
  return {top.csr_rdata_o,       top.csr_awready_o != 0, top.csr_wready_o != 0,
          top.csr_bvalid_o != 0, top.csr_arready_o != 0, top.csr_rvalid_o != 0};
}

inline void drive_request(Vnode& top, const base::ClientRequest& request) {
  top.req_op_i = static_cast<CData>(request.op);
  top.req_tag_i = request.tag;
  top.req_key_i = request.key;
  top.req_value_i = request.value;
  top.req_qpn_i = request.qpn & 0xFFFFFF;
  top.req_laddr_i = request.laddr;
  top.req_raddr_i = request.raddr;
  top.req_rkey_i = request.rkey;
  top.req_len_i = request.length;
}

}  // namespace caravan::vl
