/** The fixture of the package's own tests: they cannot import from here. */
export { type Postgres, startPostgres } from '../../../packages/maestro/dist/server/testing/postgres.fixture.js'
