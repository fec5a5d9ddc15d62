node_pkg.sv
node_id_csr.sv
node_verbs.sv
node_core.sv
