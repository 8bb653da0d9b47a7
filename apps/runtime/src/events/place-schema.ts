import { z } from "zod";

/** Where a message stands, and the id that stays with it when rows are rolled back and their places used again. */
export const place = { row: z.number(), message_id: z.string() };
