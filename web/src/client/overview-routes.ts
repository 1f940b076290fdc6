/** In a file of their own, so that a phone runs these shapes and those of the other public routes in two steps. */
export { overviewRoutes } from '@castellan/contracts';
