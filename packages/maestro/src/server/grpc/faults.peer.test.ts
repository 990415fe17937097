import { postgresDatabases } from '../testing/databases.fixture.js'
import { testFaults } from './faults.fixture.js'

testFaults('PostgreSQL', postgresDatabases())
