"""Saves a contact, reads and lists it, and meets an error, by a client of openapi-generator."""

import json
import sys
from uuid import UUID

from switchboard_client import ApiClient, Configuration, ContactFields, ContactsApi, SaveContact
from switchboard_client.exceptions import NotFoundException

_, url, key, external_id = sys.argv
with ApiClient(Configuration(host=url, access_token=key)) as client:
    contacts = ContactsApi(client)
    fields = ContactFields(external_id=external_id, email=f"{external_id}@example.com", name="Ada")
    saved = contacts.save_contact(SaveContact(contact=fields))
    read = contacts.get_contact(saved.id)
    page = contacts.list_contacts(external_id=external_id)
    try:
        contacts.get_contact(UUID(int=0))
        code = "found"
    except NotFoundException as error:
        code = json.loads(error.body or "{}")["code"]
print(json.dumps([read.name, [item.external_id for item in page.items], code]))
