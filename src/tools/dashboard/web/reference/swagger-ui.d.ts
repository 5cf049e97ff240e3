// Types for the part of swagger-ui-dist that the reference uses; the package has none.

declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface SwaggerUi {
    preauthorizeApiKey(scheme: string, value: string): void;
  }
  interface SwaggerOptions {
    domNode: Element;
    spec: object;
    validatorUrl: null;
    deepLinking: boolean;
    docExpansion: 'list' | 'none';
    defaultModelsExpandDepth: number;
    displayOperationId: boolean;
    displayRequestDuration: boolean;
    filter: boolean;
    queryConfigEnabled: boolean;
    showExtensions: boolean;
    tryItOutEnabled: boolean;
    onComplete: () => void;
  }
  const SwaggerUIBundle: (options: SwaggerOptions) => SwaggerUi;
  export = SwaggerUIBundle;
}
