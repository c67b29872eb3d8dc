-- Distributes the tables of a record service over a Citus cluster. Once, on the coordinator, as the owner of the tables, with every process of the
-- service stopped, and after a release whose tables are of format 6 or later has made or upgraded them:
--
--     psql "postgresql://COORDINATOR/sluice" --set=ON_ERROR_STOP=1 --single-transaction --file=Deploy/citus.sql
--
-- A test holds these lists and the schema against what Citus asks of keys. It was not run on a real Citus: none could be had where this is built.
-- Docs/Scaling.md says what else to look after.

SET LOCAL search_path TO sluice;

-- Small, read by everybody, written when an operator or a new user comes: whole on every node.
SELECT create_reference_table('service');
SELECT create_reference_table('database');
SELECT create_reference_table('token');
SELECT create_reference_table('record_field');

-- Everything of one database on one node: no transaction of a request needs another one.
SELECT create_distributed_table('head', 'database');
SELECT create_distributed_table('zone', 'database', colocate_with => 'head');
SELECT create_distributed_table('record', 'database', colocate_with => 'head');
SELECT create_distributed_table('commit_log', 'database', colocate_with => 'head');
SELECT create_distributed_table('reference', 'database', colocate_with => 'head');
SELECT create_distributed_table('ledger', 'database', colocate_with => 'head');
SELECT create_distributed_table('asset', 'database', colocate_with => 'head');
SELECT create_distributed_table('asset_use', 'database', colocate_with => 'head');
