extension ChatStoreMigrations {
    /// The indexes of the first schema.
    package static let indexes = """
        CREATE INDEX profiles_by_user ON profiles(user_id);
        CREATE INDEX display_names_by_base ON display_names(user_id, base, suffix);
        CREATE INDEX contacts_by_user ON contacts(user_id, chat_ts);
        CREATE INDEX contacts_by_name ON contacts(user_id, local_display_name);
        CREATE INDEX contacts_by_profile ON contacts(profile_id);
        CREATE INDEX contacts_by_request ON contacts(contact_request_id) WHERE contact_request_id IS NOT NULL;
        CREATE INDEX contacts_by_prepared_full_link ON contacts(user_id, prepared_full_link) WHERE prepared_full_link IS NOT NULL;
        CREATE INDEX contacts_by_prepared_short_link ON contacts(user_id, prepared_short_link) WHERE prepared_short_link IS NOT NULL;
        CREATE INDEX contacts_by_x_contact_id ON contacts(user_id, x_contact_id) WHERE x_contact_id IS NOT NULL;
        CREATE INDEX chat_tags_by_user ON chat_tags(user_id, tag_order);
        CREATE INDEX contact_tags_by_tag ON contact_tags(chat_tag_id);
        CREATE INDEX contact_requests_by_address ON contact_requests(user_contact_link_id);
        CREATE INDEX contact_requests_by_user ON contact_requests(user_id, x_contact_id);
        CREATE INDEX contact_requests_by_contact ON contact_requests(contact_id);
        CREATE INDEX contact_requests_by_profile ON contact_requests(profile_id);
        CREATE INDEX connections_by_user ON connections(user_id, status);
        CREATE INDEX connections_by_contact ON connections(contact_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX connections_by_address ON connections(user_contact_link_id) WHERE user_contact_link_id IS NOT NULL;
        CREATE INDEX connections_via_address ON connections(via_user_contact_link) WHERE via_user_contact_link IS NOT NULL;
        CREATE INDEX connections_by_link ON connections(user_id, link_key) WHERE link_key IS NOT NULL;
        CREATE INDEX connections_by_short_link ON connections(user_id, short_link) WHERE short_link IS NOT NULL;
        CREATE INDEX connections_by_incognito_profile ON connections(incognito_profile_id) WHERE incognito_profile_id IS NOT NULL;
        CREATE INDEX items_by_contact ON chat_items(contact_id, chat_item_id) WHERE contact_id IS NOT NULL;
        CREATE INDEX items_by_folder ON chat_items(note_folder_id, chat_item_id) WHERE note_folder_id IS NOT NULL;
        CREATE INDEX items_by_user ON chat_items(user_id, chat_item_id);
        CREATE INDEX items_by_shared_id ON chat_items(contact_id, shared_msg_id) WHERE shared_msg_id IS NOT NULL;
        CREATE INDEX items_by_message_kind ON chat_items(contact_id, message_kind, chat_item_id) WHERE message_kind IS NOT NULL;
        CREATE INDEX items_unread ON chat_items(contact_id, chat_item_id) WHERE status = 'rcvNew';
        CREATE INDEX items_to_delete ON chat_items(delete_at) WHERE delete_at IS NOT NULL;
        CREATE INDEX item_versions_by_item ON chat_item_versions(chat_item_id);
        CREATE INDEX files_by_item ON files(chat_item_id);
        CREATE INDEX files_by_user ON files(user_id);
        CREATE INDEX unhandled_by_connection ON unhandled_messages(connection_id);
        CREATE INDEX deliveries_pending ON deliveries(delivery_id) WHERE done = 0;
        CREATE INDEX deliveries_by_agent_id ON deliveries(connection_id, agent_msg_id);
        CREATE INDEX delivery_items_by_item ON delivery_items(chat_item_id);
        CREATE INDEX agent_work_by_user ON agent_work(user_id);
        CREATE INDEX users_by_profile ON users(profile_id);
        """
}
