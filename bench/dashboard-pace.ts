import { type Pace, standing } from './dashboard-views.ts';

let pace = standing;
process.on('message', (message: Pace) => {
  pace = message;
});

/** The pace that the parent of this process sent last. */
export const paceNow = (): Pace => pace;

/** Says to the parent that this process answers. */
export const sayReady = (): void => void process.send?.('ready');

// In order, so that a profile of this process is written.
process.once('SIGTERM', () => process.exit());
