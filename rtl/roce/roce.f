roce_pkg.sv
