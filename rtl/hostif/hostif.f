hostif_pkg.sv
hostif_csr.sv
hostif_ring.sv
hostif_fetch.sv
hostif_rq.sv
hostif_cq.sv
hostif_top.sv
