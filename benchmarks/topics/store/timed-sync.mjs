import { own } from "../../harness/places.mjs";

/**
 * The store's driver on a disk whose sync always takes the same time: SQLite's own syncs are left out, and each commit
 * works in their place, so that CPU is what is compared and nobody else's work counts. Undefined leaves the disk as it is.
 * @param {number | undefined} syncUs
 */
export async function driverWithSync(syncUs) {
  const { loadDriver } = await own("packages/session-sqlite/dist/index.js");
  const driver = await loadDriver();
  return syncUs === undefined ? driver : timed(driver, syncUs);
}

function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function timed(driver, syncUs) {
  const committing = (statement) => ({
    ...statement,
    run(...values) {
      const changes = statement.run(...values);
      for (const end = performance.now() + syncUs / 1000; performance.now() < end;);
      return changes;
    },
  });
  return {
    name: `${driver.name}, a sync in ${syncUs} µs`,
    open(path, options) {
      const connection = driver.open(path, options);
      return {
        ...connection,
        exec: (sql) =>
          connection.exec(sql.replace(/^PRAGMA synchronous = FULL$/, "PRAGMA synchronous = OFF")),
        prepare(sql, how) {
          const statement = connection.prepare(sql, how);
          return sql === "COMMIT" ? committing(statement) : statement;
        },
      };
    },
  };
}
