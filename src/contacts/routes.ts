import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { allowUnknownFields } from '../api/edge/input/unknown-fields.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { saveContactBatch } from './saving/batch.service.ts';
import { sealChange } from './saving/sealed-overrides.rules.ts';
import { createInsertTogether, saveContact, updateContact } from './saving/service.ts';
import {
  Contact,
  ContactPage,
  ContactPath,
  ListContacts,
  SaveContact,
  SaveContacts,
  SavedContact,
  SavedContacts,
  SearchContacts,
} from './schema.ts';
import { eraseContact, getContact, pageOfContacts, searchContacts } from './service.ts';

export const contactRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db: pool, secrets, contactDeliveries }) => {
  const insertTogether = createInsertTogether(pool);

  app.post('/contacts', {
    config: { scope: 'contacts:write' },
    schema: {
      operationId: 'saveContact',
      summary: 'Save a contact',
      tags: ['contacts'],
      description:
        'Makes a contact, or updates the one that has the `external_id`, e-mail or phone number. Another `external_id` than it has is a 409.',
      body: SaveContact,
      response: { 201: SavedContact, ...errorResponses(403, 409) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return saveContact(db, org.id, sealChange(secrets, org.id, body.contact), insertTogether);
    },
  });

  app.get('/contacts', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'listContacts',
      summary: 'List contacts',
      description: 'In the order of creation, or of update with `updated_after` or `updated_before`.',
      tags: ['contacts'],
      querystring: ListContacts,
      response: { 200: ContactPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, query }) => pageOfContacts(db, org.id, query),
  });

  app.get('/contacts/:id', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'getContact',
      summary: 'Get a contact',
      description: 'The contact with its custom data.',
      tags: ['contacts'],
      params: ContactPath,
      response: { 200: Contact, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getContact(db, org.id, params.id),
  });

  app.patch('/contacts/:id', {
    config: { scope: 'contacts:write', readIn: 'contact' },
    schema: {
      operationId: 'updateContact',
      summary: 'Update a contact',
      tags: ['contacts'],
      description: 'Absent fields stay, null removes one; custom_data merges by key, null removes one.',
      params: ContactPath,
      body: SaveContact,
      response: { 200: NoBody, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params, body }) => {
      await updateContact(db, org.id, params.id, sealChange(secrets, org.id, body.contact));
      return NO_BODY;
    },
  });

  app.delete('/contacts/:id', {
    config: { scope: 'contacts:write', memberScope: 'redaction:write' },
    schema: {
      operationId: 'deleteContact',
      summary: 'Delete a contact',
      description: 'Erases the contact and what it has written. What was sent to it keeps no address.',
      tags: ['contacts'],
      params: ContactPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await eraseContact(db, contactDeliveries, org.id, params.id);
      return NO_BODY;
    },
  });

  app.post('/contacts/search', {
    config: { scope: 'contacts:read' },
    schema: {
      operationId: 'searchContacts',
      summary: 'Search contacts by a filter',
      description: 'The contacts that the filter matches, in the order of creation.',
      tags: ['contacts'],
      body: SearchContacts,
      response: { 200: ContactPage, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }) => searchContacts(db, org.id, body),
  });

  app.post('/contacts/batch', {
    config: { scope: 'contacts:write' },
    schema: {
      operationId: 'saveContacts',
      summary: 'Save many contacts',
      tags: ['contacts'],
      description:
        'Saves up to 1,000 contacts in order. One that is not valid is answered by its error and leaves the others alone.',
      body: SaveContacts,
      response: { 200: SavedContacts, ...errorResponses(403) },
    },
    handler: async (request, reply) => {
      const { db, org, body } = request;
      const allowsUnknown = (fields: { path: string }[]) => allowUnknownFields(request, reply, fields);
      return { results: await saveContactBatch(db, secrets, org.id, body.contacts, allowsUnknown) };
    },
  });
};
