net_pkg.sv
