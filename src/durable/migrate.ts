/** Whether the object has tables. One that was never opened has none, and costs no storage. */
export function isOpened(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").toArray().length > 0;
}

/** Migrates the storage to the newest schema, inside the caller's transaction. */
export function migrate(sql: SqlStorage, migrations: readonly string[]): void {
  sql.exec("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY)");
  const done = Number(sql.exec("SELECT coalesce(max(number), 0) AS done FROM migration").one()["done"]);
  if (done > migrations.length) throw new Error(`storage is at schema ${done}, this code knows ${migrations.length}`);
  migrations.slice(done).forEach((statements, at) => {
    sql.exec(statements);
    sql.exec("INSERT INTO migration (number) VALUES (?)", done + at + 1);
  });
}
