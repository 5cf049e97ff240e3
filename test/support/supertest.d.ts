// What test/support/contract-call.ts uses of supertest: its own types are four packages.

declare module 'supertest' {
  interface Request extends Promise<Response> {
    set(headers: Record<string, string>): Request;
    buffer(whole: boolean): Request;
    serialize(as: (body: unknown) => string): Request;
    send(body: unknown): Request;
  }
  interface Response {
    status: number;
    headers: Record<string, string>;
    body: any;
    text: string;
  }
  export default function supertest(url: string): { post(path: string): Request };
}
