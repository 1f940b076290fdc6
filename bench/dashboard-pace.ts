import { type Pace, standing } from './dashboard-views.ts';

let pace = standing;
process.on('message', (message: Pace) => {
  pace = message;
});

/** The pace that the parent of this process sent last. */
export const paceNow = (): Pace => pace;

/** Says to the parent that this process answers. */
export const sayReady = (): void => void process.send?.('ready');
