import { messageOf } from "../store/bodies.mjs";
import { placeOf } from "./database.mjs";

let threads = 0;

/**
 * LangGraph's checkpointer in its recommended form: each step writes a checkpoint whose `messages` channel holds the whole
 * conversation. A fork is the conversation's checkpoint under another thread.
 * @param variant `{ operation: "append" | "fork", length }`
 */
export async function open({ operation, length }, { work }) {
  const { url, schema } = placeOf(work);
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const { HumanMessage } = await import("@langchain/core/messages");
  const { emptyCheckpoint, uuid6 } = await import("@langchain/langgraph-checkpoint");
  const saver = PostgresSaver.fromConnString(url, { schema: `${schema}_langgraph` });
  await saver.setup();
  const messages = Array.from({ length }, (_, at) => new HumanMessage(messageOf(at).content));
  let step = 0;
  const thread = () => `thread-${process.pid}-${(threads += 1)}`;
  const put = (config) => {
    step += 1;
    const versions = { messages: step };
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(step),
      channel_values: { messages },
      channel_versions: versions,
    };
    return saver.put(config, checkpoint, { source: "loop", step, parents: {} }, versions);
  };
  let config = { configurable: { thread_id: thread(), checkpoint_ns: "" } };
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        if (operation === "fork") await put({ configurable: { thread_id: thread(), checkpoint_ns: "" } });
        else config = await put(config);
      }
    },
    close: () => saver.end(),
  };
}
