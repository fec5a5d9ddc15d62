node_pkg.sv
