rdt_pkg.sv
