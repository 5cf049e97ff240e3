// Organizations and users.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface Organization {
  id: string;
  name: string;
  slug: string;
  plan: string;
  /** Micro-credits. */
  balance: number;
  created_at: number;
  /** The charge that control refuses in advance: 1 is the next one; null: none. */
  fail_nth: number | null;
  /** 1: it starts nothing that costs by the hour. */
  billing_hold: number;
  /** Rises with each account of the world: under a frozen clock many have one instant. */
  seq: number;
}

export interface User {
  id: string;
  organization_id: string;
  email: string | null;
  name: string;
  role: string;
  /** In lower case. */
  wallet_address: string | null;
  avatar: string | null;
  nickname: string | null;
  work_function: string | null;
  preferences: string | null;
  response_notifications: number;
  email_notifications: number;
  created_at: number;
  updated_at: number;
  /** The number of the account, in one series with those of organizations. */
  seq: number;
}

/** A user before he has said anything about himself. */
export type NewUser = Pick<
  User,
  'id' | 'organization_id' | 'email' | 'name' | 'role' | 'wallet_address' | 'created_at' | 'seq'
>;

export function insertOrganization(db: Db, organization: Omit<Organization, 'fail_nth' | 'billing_hold'>): void {
  insert(db, 'organizations', organization);
}

export function insertUser(db: Db, user: NewUser): void {
  insert(db, 'users', { ...user, updated_at: user.created_at });
}

/** Writes what users may change about themselves. */
export function updateUser(db: Db, user: User): void {
  db.run(
    `UPDATE users SET name = @name, avatar = @avatar, nickname = @nickname, work_function = @work_function,
       preferences = @preferences,
       response_notifications = @response_notifications, email_notifications = @email_notifications,
       updated_at = @updated_at WHERE id = @id`,
    user,
  );
}

export function findOrganization(db: Db, id: string): Organization | undefined {
  return db.get<Organization>('SELECT * FROM organizations WHERE id = @id', { id });
}

export function listOrganizations(db: Db): Organization[] {
  return db.all<Organization>('SELECT * FROM organizations ORDER BY created_at, seq, id');
}

/** Whether an organization has a slug already. */
export function isSlugTaken(db: Db, slug: string): boolean {
  return db.get('SELECT 1 FROM organizations WHERE slug = @slug', { slug }) !== undefined;
}

export function findUser(db: Db, id: string): User | undefined {
  return db.get<User>('SELECT * FROM users WHERE id = @id', { id });
}

/** All users, organization by organization, owners first. */
export function listUsers(db: Db, limit: number): User[] {
  return db.all<User>(
    `SELECT users.* FROM users JOIN organizations ON organizations.id = organization_id
      ORDER BY organizations.created_at, organizations.seq, organizations.id,
        role = 'owner' DESC, users.created_at, users.seq, users.id LIMIT @limit`,
    { limit },
  );
}

/** The user who has an e-mail address, in whatever letter case. */
export function findUserByEmail(db: Db, email: string): User | undefined {
  return db.get<User>('SELECT * FROM users WHERE lower(email) = lower(@email) ORDER BY created_at, seq, id LIMIT 1', {
    email,
  });
}

/** The first user of an organization who has a role. */
export function findUserByRole(db: Db, organizationId: string, role: string): User | undefined {
  return db.get<User>(
    'SELECT * FROM users WHERE organization_id = @organizationId AND role = @role ORDER BY created_at, seq, id LIMIT 1',
    { organizationId, role },
  );
}

/** The user who has a wallet; the address is in lower case. */
export function findUserByWallet(db: Db, address: string): User | undefined {
  return db.get<User>('SELECT * FROM users WHERE wallet_address = @address', { address });
}

/** The user who owns an organization. */
export function findOwner(db: Db, organizationId: string): User | undefined {
  return db.get<User>(
    "SELECT * FROM users WHERE organization_id = @organizationId ORDER BY role = 'owner' DESC, created_at, seq, id LIMIT 1",
    { organizationId },
  );
}
