import { z } from "zod";

const json = z.json();

/** The number of a judged answer, and its call; without one the answer came as text. */
const attempt = { attempt: z.number(), tool_call_id: z.string().optional() };
/** What is wrong with an answer, and where: a JSON pointer into it. */
const issue = z.strictObject({
  stage: z.string(),
  pointer: z.string(),
  message: z.string(),
  keyword: z.string().optional(),
});

/** What is told of the answers of a typed run. */
export const outputData = {
  output_attempted: z.strictObject({ ...attempt, candidate: json }),
  output_accepted: z.strictObject({
    ...attempt,
    candidate: json,
    /** What the run answers with, where that is not the candidate itself. */
    value: json.optional(),
    /** That another reading than the literal one was taken of what the model wrote. */
    normalized: z.literal(true).optional(),
  }),
  output_rejected: z.strictObject({
    ...attempt,
    verdict: z.string(),
    issues: z.array(issue).optional(),
    feedback: json,
    last: z.boolean(),
  }),
};
