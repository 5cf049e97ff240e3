// Types for the part of swagger-ui-dist that the reference uses; the package has none.

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  const SwaggerUIBundle: (options: object) => { preauthorizeApiKey(scheme: string, value: string): void };
  export = SwaggerUIBundle;
}
