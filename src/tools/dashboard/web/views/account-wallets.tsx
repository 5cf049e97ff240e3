// Test wallets: their addresses to copy, their private keys when asked for.

import type { ControlledWallet } from '../../../../platform/wallets/control.js';
import { post } from '../api.js';
import { Copy } from '../components/copy.js';
import { Form } from '../components/form.js';
import { KeyValues, Secret } from '../components/parts.js';
import { AccountList, openIn } from './account-tab.js';
import { Organization, useOrganizationNames } from './organization.js';

export function Wallets() {
  const nameOf = useOrganizationNames();
  return (
    <AccountList<ControlledWallet>
      tab="wallets"
      note="Made from the world’s seed: the same in every run. Never send real money to them."
      keyOf={({ address }) => address}
      titleOf={({ index }) => `Wallet ${index}`}
      hint="Mint one above."
      columns={[
        { title: 'Wallet', width: '4.5rem', cell: ({ index }) => <strong>{index}</strong> },
        { title: 'Address', width: 'minmax(0, 3fr)', cell: ({ address }) => <code>{address}</code> },
        {
          title: 'Organization',
          width: 'minmax(0, 2fr)',
          minor: true,
          cell: ({ organizationId: id }) => <span class="faint">{id === null ? 'has not signed in' : nameOf(id)}</span>,
        },
      ]}
      form={
        <Form
          label="Mint"
          act={{
            label: 'Mint a wallet',
            command: 'wallet create',
            run: async () => openIn('wallets', (await post<ControlledWallet>('/wallets')).address),
            done: 'The wallet is minted',
          }}
        />
      }
      detail={({ address, privateKey, organizationId }) => (
        <KeyValues
          entries={[
            [
              'Address',
              <span key="address" class="secret">
                <code>{address}</code>
                <Copy text={address} of="the address" />
              </span>,
            ],
            ['Private key', <Secret key={address} value={privateKey} label="the private key" />],
            [
              'Organization',
              organizationId === null ? (
                'none before its first sign-in'
              ) : (
                <Organization key="organization" id={organizationId} name={nameOf(organizationId)} />
              ),
            ],
          ]}
        />
      )}
    />
  );
}
