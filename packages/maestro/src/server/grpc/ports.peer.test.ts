import { postgresDatabases } from '../testing/databases.fixture.js'
import { testPorts } from './ports.fixture.js'

testPorts('PostgreSQL', postgresDatabases())
