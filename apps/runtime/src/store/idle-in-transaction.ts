/**
 * How long the database waits for the next statement of a transaction that a process began. It lies below the shortest lease,
 * so what a frozen or unplugged machine locked is free when its sessions are.
 */
export const IDLE_IN_TRANSACTION_MS = 1_500;
