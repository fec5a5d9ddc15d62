axis_pkg.sv
axis_axil_csr.sv
axis_axi_wmux.sv
