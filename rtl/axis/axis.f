axis_pkg.sv
axis_axil_csr.sv
axis_axi_wmux.sv
axis_axi_rmux.sv
axis_atomic_mem.sv
axis_atomic.sv
