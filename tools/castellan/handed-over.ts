/**
 * Container runtimes and systemd put secrets there for one process alone. Their mode says nothing: what keeps others out is the folder,
 * and since systemd 254 the user of a unit reads by an access list, which shows as a group's rights.
 */
const folders = /^(\/var)?\/run\/(secrets|credentials)\//;

/** Whether a file of a secret was handed to this process by what runs it, who also decides about its mode. */
export const isHandedOver = (file: string): boolean => folders.test(file);

/** Whether others than its owner may read a file of this mode, where the mode is the owner's to decide. */
export const othersMayRead = (file: string, mode: number): boolean => (mode & 0o077) !== 0 && !isHandedOver(file);
