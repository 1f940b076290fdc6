/** What JetStream may have of a volume, in mebibytes. A tenth stays free: what it removes it writes anew first. */
export const fileStoreMiB = (volume: string): number => Math.floor(Number.parseInt(volume, 10) * 0.9 * 1024);

/** What the streams may take of it, in megabytes; the rest is for what the servers agree on among themselves. */
export const streamsMaxMb = (volume: string): number => Math.floor(fileStoreMiB(volume) * 0.95);
