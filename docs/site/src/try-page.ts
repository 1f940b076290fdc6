import { base } from './pages.ts';

/**
 * The API with forms that send requests, by Swagger UI. It writes markup by itself, so the gateway gives this page alone a policy
 * without trusted types; scripts come from this server here too.
 */
export const tryPage = (version: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Try the API · Castellan documentation</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${base}/assets/swagger-ui.css?${version}">
<link rel="stylesheet" href="${base}/assets/try.css?${version}">
<script src="${base}/assets/theme.js?${version}"></script>
<script src="${base}/assets/swagger-ui-bundle.js?${version}" defer></script>
<script src="${base}/assets/try.js?${version}" defer></script>
</head>
<body>
<header><p><a href="${base}">Castellan docs</a> › <a href="${base}/api">API</a> › <strong>Try it</strong></p>
<p>Requests go to this deployment. Public reads need nothing; for others press Authorize and paste a token: <a href="${base}/guides/sign-in">how to get one</a>. What is written here is written.</p></header>
<main id="api"><p class="waiting">Loading the description of the API …</p></main>
</body>
</html>
`;
