/** In a file of their own, so that the pages which do not need them begin without them. */
export { operateRoutes } from '@castellan/contracts';
