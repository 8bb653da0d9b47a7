import { z } from "zod";

/** A name or an id. */
export const word: z.ZodString = z.string().min(1).max(512);

/** How many items of a page. Default 100. */
export const limit: z.ZodDefault<z.ZodNumber> = z.int().min(1).max(1000).default(100);

/** A count from 0. */
export const count: z.ZodNumber = z.int().min(0);
