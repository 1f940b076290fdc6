/** In a file of their own, so that the first sight of a page, which needs no answer but what it carries, does not wait for their shapes. */
export { publicStartRoutes } from '@castellan/contracts';
