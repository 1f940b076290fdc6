/** In a file of their own, so that the overview of a vault begins without the shapes of its sections. */
export { publicRoutes } from '@castellan/contracts';
