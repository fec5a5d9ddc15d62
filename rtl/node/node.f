node_pkg.sv
node_id_csr.sv
node_csr.sv
node_verbs.sv
node_mem.sv
node_net.sv
node_core.sv
