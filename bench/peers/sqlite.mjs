// SQLite for the Node peer: better-sqlite3, or Node's own module if that is not installed.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** better-sqlite3's `transaction`, for Node's own module. */
function transactionOf(db) {
  const [begin, commit, rollback] = ["begin", "commit", "rollback"].map((word) => db.prepare(word));
  return (run) =>
    (...args) => {
      begin.run();
      try {
        const result = run(...args);
        commit.run();
        return result;
      } catch (error) {
        rollback.run();
        throw error;
      }
    };
}

/** The SQLite in use: its name, and a function that opens a file. */
export function sqlite() {
  try {
    const Database = require("better-sqlite3");
    // Its native part is loaded with the first database, and may be missing although the package is installed.
    new Database(":memory:").close();
    return { name: "better-sqlite3", open: (file) => new Database(file) };
  } catch {
    const { DatabaseSync } = require("node:sqlite");
    const open = (file) => {
      const db = new DatabaseSync(file);
      return Object.assign(db, { transaction: transactionOf(db) });
    };
    return { name: "node:sqlite", open };
  }
}
