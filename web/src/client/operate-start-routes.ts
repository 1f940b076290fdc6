/** In a file of their own, so that Operate begins with these and not with the shapes of all its pages. */
export { operateStartRoutes } from '@castellan/contracts';
