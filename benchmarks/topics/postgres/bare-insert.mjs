import { messageOf } from "../store/bodies.mjs";
import { pg, placeOf } from "./database.mjs";

/** The limit: one row, one prepared statement, one commit, by the store's driver on the store's server. */
export async function open(variant, { work }) {
  const { url, schema } = placeOf(work);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const text = `INSERT INTO "${schema}".bare VALUES ($1, $2, $3)`;
  const body = JSON.stringify(messageOf(0));
  let seq = 0;
  const session = Date.now() * 1000 + Math.floor(Math.random() * 1000);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        await client.query({ name: "bare", text, values: [session, (seq += 1), body] });
      }
    },
    close: () => client.end(),
  };
}
