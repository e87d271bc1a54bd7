import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery } from '../../../api/queries';
import { Page, PageBody } from '../../../ui/page';
import { Section } from '../../../ui/section';
import { groupsFor } from './pages';

/** All pages of the settings that the member may see. */
export const Overview = () => {
  const scopes = useQuery(meQuery).data?.scopes ?? [];
  return (
    <Page title="Settings">
      <PageBody label="All settings">
        <div className="mx-auto grid max-w-240 items-start gap-3 min-[700px]:grid-cols-2">
          {groupsFor(scopes).map(({ name, pages }) => (
            <Section key={name} title={name}>
              <ul className="p-2">
                {pages.map((page) => (
                  <li key={page.to}>
                    <Link to={page.to} className="block rounded-md px-2 py-1.5 hover:bg-hover">
                      <span className="font-medium">{page.name}</span>
                      <span className="block text-xs text-quiet">{page.says}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </Section>
          ))}
        </div>
      </PageBody>
    </Page>
  );
};
