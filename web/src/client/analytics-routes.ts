/** In a file of their own, so that a phone runs these shapes and the rest of the public ones in two steps. */
export { analyticsRoutes } from '@castellan/contracts';
