prim_pkg.sv
prim_crc_pkg.sv
prim_fifo.sv
prim_skid.sv
prim_arb_rr.sv
prim_ram_1r1w.sv
prim_ram_row.sv
prim_fifo_pkt.sv
