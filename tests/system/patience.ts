/**
 * How much slower than an idle one this machine may be; each limit below is multiplied by it. Two systems run side by side in a whole
 * run, hence 3. `E2E_PATIENCE=1` asks for the speed of an idle machine. A limit costs nothing where the event comes before it.
 */
const factor = Number(process.env.E2E_PATIENCE ?? 3);

/** For what the API does within two seconds. */
export const promptMs = 2_000 * factor;
/** For what a page or a service does at once. */
export const patienceMs = 10_000 * factor;
/** For a transaction: mined, indexed, shown everywhere. */
export const minedMs = 30_000 * factor;
/** For the keeper: an evaluation at each block, a proof, its transaction and the history of it. */
export const keeperMs = 60_000 * factor;
/** For a test that names no other limit. */
export const testMs = 60_000 * factor;
/** For a scenario of many steps. A step that hangs ends by one of the limits above, long before this. */
export const scenarioMs = 240_000 * factor;
