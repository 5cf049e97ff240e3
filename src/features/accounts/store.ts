// Organizations and users.

import type { Db } from '../../store/db.js';

export interface Organization {
  id: string;
  name: string;
  slug: string;
  plan: string;
  /** Micro-credits. */
  balance: number;
  created_at: number;
}

export interface User {
  id: string;
  organization_id: string;
  email: string | null;
  name: string;
  role: string;
  created_at: number;
}

export function insertOrganization(db: Db, organization: Organization): void {
  db.run(
    'INSERT INTO organizations (id, name, slug, plan, balance, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    organization.id,
    organization.name,
    organization.slug,
    organization.plan,
    organization.balance,
    organization.created_at,
  );
}

export function insertUser(db: Db, user: User): void {
  db.run(
    'INSERT INTO users (id, organization_id, email, name, role, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    user.id,
    user.organization_id,
    user.email,
    user.name,
    user.role,
    user.created_at,
  );
}

export function findOrganization(db: Db, id: string): Organization | undefined {
  return db.get<Organization>('SELECT * FROM organizations WHERE id = ?', id);
}

export function listOrganizations(db: Db): Organization[] {
  return db.all<Organization>('SELECT * FROM organizations ORDER BY created_at, id');
}

export function findUser(db: Db, id: string): User | undefined {
  return db.get<User>('SELECT * FROM users WHERE id = ?', id);
}
