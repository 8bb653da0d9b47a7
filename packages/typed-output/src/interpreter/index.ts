export { interpretingValidator, type InterpretingValidatorOptions } from "./interpreting-validator.ts";
