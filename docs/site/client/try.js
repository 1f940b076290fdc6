// Swagger UI on this deployment's own description; nothing is asked of another server, and no token is kept.
(() => {
  document.documentElement.classList.toggle('dark-mode', document.documentElement.dataset.theme === 'dark');
  SwaggerUIBundle({
    dom_id: '#api',
    url: '/api/v1/openapi.json',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    persistAuthorization: false,
    validatorUrl: null,
    defaultModelsExpandDepth: -1,
    syntaxHighlight: { activated: true, theme: 'nord' },
    // The description names the public address; a visitor may have come by another one.
    requestInterceptor: (request) => {
      const { pathname, search } = new URL(request.url, location.href);
      request.url = `${location.origin}${pathname}${search}`;
      return request;
    },
  });
})();
