/** Waits between the tries of one event, in seconds; after the last it is a dead letter. */
export const RETRY_SECONDS = [1, 2, 4, 8, 16] as const;
/** A dead letter at the head is tried this often, so that a receiver that comes back gets everything without being asked for. */
export const PROBE_SECONDS = 60;
