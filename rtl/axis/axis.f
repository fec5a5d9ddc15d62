axis_pkg.sv
