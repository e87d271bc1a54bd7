"""Saves a contact, reads and lists it, and meets an error, by a client of openapi-python-client."""

import json
import sys
from io import BytesIO
from uuid import UUID

from switchboard_client import AuthenticatedClient
from switchboard_client.api.contacts import get_contact, import_contacts, list_contacts, save_contact
from switchboard_client.models import (
    Contact,
    ContactFields,
    ContactPage,
    Error,
    SaveContact,
    SavedContact,
    StartedContactImport,
)
from switchboard_client.types import File

_, url, key, external_id = sys.argv
client = AuthenticatedClient(base_url=url, token=key)
fields = ContactFields(external_id=external_id, email=f"{external_id}@example.com", name="Ada")

saved = save_contact.sync(client=client, body=SaveContact(contact=fields))
assert isinstance(saved, SavedContact)
read = get_contact.sync(saved.id, client=client)
assert isinstance(read, Contact)
page = list_contacts.sync(client=client, external_id=external_id)
assert isinstance(page, ContactPage)
missing = get_contact.sync(UUID(int=0), client=client)
assert isinstance(missing, Error)
csv = File(payload=BytesIO(f"external_id,name\n{external_id},Ada\n".encode()))
started = import_contacts.sync(client=client, body=csv)
assert isinstance(started, StartedContactImport)
print(json.dumps([read.name, [item.external_id for item in page.items], missing.code.value]))
