export { faultyDriver, type DriverStep, type FaultPlan } from "./faulty-driver.ts";
