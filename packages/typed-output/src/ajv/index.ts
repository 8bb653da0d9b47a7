export { ajvValidator, type AjvValidatorOptions } from "./ajv-validator.ts";
