import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { allowUnknownFields } from '../api/edge/input/unknown-fields.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../schemas/parts.ts';
import { saveContactBatch } from './saving/batch.service.ts';
import { leaveOwnNumber } from './saving/own-number.ts';
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
        'Creates a contact, or updates the one that has the `external_id`, e-mail or phone number. Absent fields keep their values; `custom_data` merges by key, null removes one. Another `external_id` than it has, or addresses of two contacts, are a 409.',
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
      description: 'Lists contacts in the order of creation, or of update with `updated_after` or `updated_before`.',
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
      description: 'Returns the contact with its custom data. Its `http_action_overrides` are never shown.',
      tags: ['contacts'],
      params: ContactPath,
      response: { 200: Contact, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => getContact(db, org.id, params.id),
  });

  app.patch('/contacts/:id', {
    config: { scope: 'contacts:write', readIn: 'contact' },
    preValidation: leaveOwnNumber,
    schema: {
      operationId: 'updateContact',
      summary: 'Update a contact',
      tags: ['contacts'],
      description:
        'Absent fields keep their values, null removes one; `custom_data` merges by key, null removes a key. An e-mail, number or `external_id` of another contact is a 409.',
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
      description:
        'Deletes the contact, its enrollments, its widget tokens and the raw forms of what it wrote, and cancels sends that wait. Its sessions and deliveries stay without a contact, with their texts and addresses. POST /redaction/session removes the texts of a session.',
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
      description: 'Lists the contacts that match the filter, in the order of creation, 100 a page.',
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
        'Saves up to 1,000 contacts in order, each as POST /contacts does. One that cannot be saved has an `error`, and the others are saved.',
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
