// The second entry, `cloudemu/testing`: wallets, signed requests and sign-ins for tests, right and wrong ones.

export {
  type HeaderMistake,
  type HeadersRequest,
  headerMistakes,
  signHeaders,
  type WalletHeaders,
} from './testing/headers.js';
export {
  type PaymentMistake,
  type PaymentRequest,
  type PaymentRequirement,
  paymentHeader,
  paymentMistakes,
  paymentPayload,
} from './testing/payments.js';
export { type SiweMessageFields, type SiweMistake, signSiwe, siweMessage, siweMistakes } from './testing/siwe.js';
export { type Signer, type TestWallet, testWallet } from './testing/wallets.js';
