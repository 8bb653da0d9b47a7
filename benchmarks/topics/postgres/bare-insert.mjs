import { messageOf } from "../store/bodies.mjs";
import { pg, placeOf } from "./database.mjs";

/**
 * The limits, by the store's driver on the store's server: one row, one prepared statement, one commit; or a transaction of
 * two statements, a message and its session's new length, each awaited.
 * @param variant `{ name, statements: 1 | 2 }`
 */
export async function open({ statements }, { work }) {
  const { url, schema } = placeOf(work);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const text = `INSERT INTO "${schema}".bare VALUES ($1, $2, $3)`;
  const update = `UPDATE "${schema}".bare_session SET len = $2 WHERE key = $1`;
  const body = JSON.stringify(messageOf(0));
  let seq = 0;
  const session = Date.now() * 1000 + Math.floor(Math.random() * 1000);
  await client.query(`INSERT INTO "${schema}".bare_session VALUES ($1, 0)`, [session]);
  const insert = () => client.query({ name: "bare", text, values: [session, (seq += 1), body] });
  const transaction = async () => {
    await client.query("BEGIN");
    await insert();
    await client.query({ name: "bare session", text: update, values: [session, seq] });
    await client.query("COMMIT");
  };
  const one = statements === 2 ? transaction : insert;
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await one();
    },
    close: () => client.end(),
  };
}
