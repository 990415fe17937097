import type { Database } from './database.js'

interface Migration {
  readonly id: string
  readonly text: string
}

/** Never change one that was released: add another. */
const MIGRATIONS: readonly Migration[] = [
  {
    id: '0001-bundles',
    text: `
create table consumers (
  id text primary key,
  name text not null unique,
  labels jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

-- changed, spec_changed and status_changed are the transactions of the last change: instances follow them.
-- The type json keeps the bytes that sources and agents sent. metadata is searched.
create table resources (
  id text primary key,
  name text generated always as (id) stored,
  source text not null,
  consumer_name text not null constraint fk_resources_consumers references consumers (name) on update restrict on delete restrict,
  version integer not null,
  type text not null default 'Bundle',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  changed xid8 not null default pg_current_xact_id(),
  spec_changed xid8 not null default pg_current_xact_id(),
  status_changed xid8,
  status_version integer,
  status_sequence bigint,
  status_hash text,
  metadata jsonb not null,
  manifests json,
  delete_option json,
  manifest_configs json,
  executer json,
  status_conditions json,
  status_resources json
);
create index resources_source on resources (source);
create index resources_consumer_name on resources (consumer_name);
create index resources_changed on resources (changed);
create index resources_deleting on resources (consumer_name) where deleted_at is not null;

-- Bundles that are gone, until every instance has told its subscribers.
create table tombstones (
  id text not null,
  source text not null,
  consumer_name text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  changed xid8 not null default pg_current_xact_id(),
  status_version integer,
  status_sequence bigint,
  status_hash text,
  metadata jsonb not null,
  manifests json,
  delete_option json,
  manifest_configs json,
  executer json,
  status_conditions json,
  status_resources json
);
create index tombstones_changed on tombstones (changed);

-- seen is the transaction up to which an instance has followed all changes.
create table server_instances (
  id text primary key,
  seen xid8 not null,
  last_heartbeat timestamptz not null default now()
);

-- The default compression takes longer than everything else together.
do $$
declare
  one record;
begin
  for one in
    select c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relname in ('resources', 'tombstones') and c.relnamespace = current_schema()::regnamespace
      and a.attnum > 0 and a.atttypid = 'json'::regtype
  loop
    begin
      execute format('alter table %I alter %I set compression lz4', one.relname, one.attname);
    exception when others then
      execute format('alter table %I alter %I set storage external', one.relname, one.attname);
    end;
  end loop;
end $$;`,
  },
  {
    id: '0002-messages',
    text: `
-- What instances tell each other. Read within a moment, and removed after a minute.
create table instance_messages (
  id bigint generated always as identity primary key,
  sender text not null,
  message json not null,
  sent_at timestamptz not null default now()
);`,
  },
]

/** Any number that no other program of the database uses. */
const LOCK = 7_304_212_019

/** Several instances can start at once: the first one migrates and the others wait. */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    await query({ text: 'select pg_advisory_xact_lock($1)', values: [LOCK] })
    const [found] = await query<{ migrations: string | null; resources: string | null }>({
      text: `select to_regclass('orrery_migrations')::text migrations, to_regclass('resources')::text resources`,
    })
    if (found?.migrations == null && found?.resources != null) {
      throw new Error('the database has a table "resources" of another program: use an empty database')
    }
    await query({ text: 'create table if not exists orrery_migrations (id text primary key)' })
    const done = new Set(
      (await query<{ id: string }>({ text: 'select id from orrery_migrations' })).map(({ id }) => id),
    )
    for (const { id, text } of MIGRATIONS) {
      if (done.has(id)) continue
      await query({ text })
      await query({ text: 'insert into orrery_migrations values ($1)', values: [id] })
    }
    // After a restore into another server, whose transactions have lower numbers.
    await query({
      text: `update resources set changed = now.xid, spec_changed = least(spec_changed, now.xid),
          status_changed = least(status_changed, now.xid)
        from (select pg_current_xact_id() xid) now where changed > now.xid`,
    })
  })
}
